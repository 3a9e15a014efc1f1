#!/bin/sh
# Installs the production packages of the lock file. Only the package that must be compiled runs its own script.
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
if [ -d node_modules/pkcs11js ]; then
  "$(dirname "$0")/../packages/install.sh" g++ make python3
  # The headers of this Node: node-gyp would fetch them.
  npm_config_nodedir=$(dirname "$(dirname "$(command -v node)")") npm rebuild --foreground-scripts pkcs11js
  node -e 'require("pkcs11js")'
fi
# Types and the sources of others' stacks: a third of the size.
find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete
# Scanners would mistake it for a list of the installed packages.
rm package-lock.json
chmod -R a+rX,go-w .
