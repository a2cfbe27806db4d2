#!/bin/sh
# Runs a program of /opt/clients with the library that CLIENT_VARIANT names. Usage: entrypoint.sh PROGRAM [ARGUMENT...]
set -eu
if [ ! -d "/opt/$CLIENT_VARIANT" ]; then
  echo "CLIENT_VARIANT=$CLIENT_VARIANT is not in this image; there are: $(ls /opt | grep - | tr '\n' ' ')" >&2
  exit 2
fi
export PYTHONPATH="/opt/$CLIENT_VARIANT${PYTHONPATH:+:$PYTHONPATH}"
exec python3 "$@"
