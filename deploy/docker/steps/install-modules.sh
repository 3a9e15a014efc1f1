#!/bin/sh
# Installs what runs, as the lock file says. No package's own script is run but that of the one which must be compiled.
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
if [ -d node_modules/pkcs11js ]; then
  "$(dirname "$0")/install-packages.sh" g++ make python3
  # The headers that come with this Node: node-gyp would fetch them.
  npm_config_nodedir=$(dirname "$(dirname "$(command -v node)")") npm rebuild --foreground-scripts pkcs11js
  node -e 'require("pkcs11js")'
fi
# Scanners would take it for a list of what is here.
rm package-lock.json
chmod -R a+rX,go-w .
