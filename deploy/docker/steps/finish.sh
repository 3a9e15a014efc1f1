#!/bin/sh
# The last step of an image as root: removes set-uid rights, and keeps fontconfig's cache of the fonts valid.
set -eu
find / -xdev -type f -perm /6000 -exec chmod ug-s {} +
if command -v fc-cache >/dev/null; then
  # Layers keep only whole seconds. fontconfig takes a folder with another time as changed, and would read all fonts at
  # each start.
  find /usr/share/fonts /usr/local/share/fonts -type d -exec touch -d "$(date -u +%F)" {} +
  fc-cache --force --system-only
fi
