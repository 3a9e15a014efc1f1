#!/bin/sh
# collect.sh <folder>: copies the built and the served files of each package here to that folder.
set -eu
for manifest in shared/package.json packages/*/package.json services/*/package.json pages/*/package.json; do
  package=$(dirname "$manifest")
  for part in dist assets; do
    [ -d "$package/$part" ] || continue
    mkdir -p "$1/$package"
    cp -R "$package/$part" "$1/$package/"
  done
done
find "$1" -name '*.d.ts' -delete
chmod -R a+rX,go-w "$1"
