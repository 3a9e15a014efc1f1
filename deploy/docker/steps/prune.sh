#!/bin/sh
# prune.sh <service>: copies the part of this checkout that the service needs to /pruned: `full` has the sources, `json`
# the manifests and the lock file to build with, `production` those to run with.
set -eu
turbo=$(node -p 'require("./package.json").devDependencies.turbo')
# The gateway serves a page, on which it does not depend.
page=
[ "$1" != gateway ] || page=@scriptorium/try
# shellcheck disable=SC2086
TURBO_TELEMETRY_DISABLED=1 npx --yes "turbo@$turbo" prune "@scriptorium/$1" $page --docker --out-dir /pruned
node "$(dirname "$0")/reduce.mjs" /pruned "$1"
rm /pruned/full/package.json /pruned/full/*/package.json /pruned/full/*/*/package.json
