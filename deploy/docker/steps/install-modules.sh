#!/bin/sh
# Installs the production packages of the lock file. Only the package that must be compiled runs its own script.
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
if [ -d node_modules/pkcs11js ]; then
  "$(dirname "$0")/install-packages.sh" g++ make python3
  # The headers of this Node: node-gyp would fetch them.
  npm_config_nodedir=$(dirname "$(dirname "$(command -v node)")") npm rebuild --foreground-scripts pkcs11js
  node -e 'require("pkcs11js")'
fi
# Scanners would mistake it for a list of the installed packages.
rm package-lock.json
chmod -R a+rX,go-w .
