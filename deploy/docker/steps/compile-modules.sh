#!/bin/sh
# Compiles the package of the lock file that no other platform's build replaces.
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# The headers of this Node: node-gyp would fetch them.
npm_config_nodedir=$(dirname "$(dirname "$(command -v node)")") npm rebuild --foreground-scripts pkcs11js
