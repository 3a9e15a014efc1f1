#!/bin/sh
# prune.sh <service>: copies the part of this checkout that the service needs to /pruned, with its part of the lock
# file.
set -eu
turbo=$(node -p 'require("./package.json").devDependencies.turbo')
TURBO_TELEMETRY_DISABLED=1 npx --yes "turbo@$turbo" prune "@scriptorium/$1" --docker --out-dir /pruned
for library in $(node "$(dirname "$0")/build-dependencies.mjs" /pruned/json "$1"); do
  rm -r "/pruned/full/$library"
done
rm /pruned/full/package.json /pruned/full/*/package.json /pruned/full/*/*/package.json
