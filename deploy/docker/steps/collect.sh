#!/bin/sh
# collect.sh <folder>: gathers what was built and what is served, of each package here, in that folder.
set -eu
for manifest in shared/package.json packages/*/package.json services/*/package.json; do
  package=$(dirname "$manifest")
  for part in dist assets; do
    [ -d "$package/$part" ] || continue
    mkdir -p "$1/$package"
    cp -R "$package/$part" "$1/$package/"
  done
done
find "$1" -name '*.d.ts' -delete
chmod -R a+rX,go-w "$1"
