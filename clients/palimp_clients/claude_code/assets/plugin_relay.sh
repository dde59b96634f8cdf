#!/bin/sh
# palimp's relay. Where palimp is not installed: a server without tools, whose answer to every hook is nothing, so that
# whoever shares this plugin's settings and has no palimp is not shown an error for each hook.
command -v palimp-shim >/dev/null 2>&1 && exec palimp-shim

while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac # a notification
  id=${line##*'"id":'}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      version=${line#*'"protocolVersion":"'}
      version=${version%%'"'*}
      result='{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"palimp","version":"0"}}'
      ;;
    *'"method":"tools/list"'*) result='{"tools":[]}' ;;
    *'"method":"tools/call"'*) result='{"content":[]}' ;;
    *'"method":"ping"'*) result='{}' ;;
    *)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
      continue
      ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
