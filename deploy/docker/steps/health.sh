#!/bin/bash
# Exits with 0 if the service in this container is ready. The caller sets a time limit: HEALTHCHECK has one. During a start it
# runs each second, for which a program of Node would take too much of a small machine.
exec 3<>"/dev/tcp/127.0.0.1/$INTERNAL_PORT" || exit 1
printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
read -r _ status _ <&3
[ "$status" = 200 ]
