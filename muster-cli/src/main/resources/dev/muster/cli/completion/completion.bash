# Completion of muster for bash: source <(muster completion bash)

# Names of topics, groups and members, a line each: the directory itself tells.
_muster_names() {
  local base=$2/topics each name folder=''
  case $1 in
    group | member) base=$2/consumer-groups ;;
  esac
  if [ "$1" = member ]; then
    for each in "$base"/*; do
      name=${each##*/}
      if [ "$(printf '%b' "${name//\%/\\x}")" = "$3" ]; then folder=$each/members; fi
    done
    [ -n "$folder" ] || return 0
    base=$folder
  fi
  for each in "$base"/*; do
    name=${each##*/}
    name=${name%.json}
    # A name that was cut cannot be told.
    case $name in *'~'*) continue ;; esac
    [ -e "$each" ] && printf '%b\n' "${name//\%/\\x}"
  done
  return 0
}

@TABLE@

# Sets path, data, first and count for the words before the cursor, and option where the cursor stands at its value.
_muster_parse() {
  path="" data=${MUSTER_DATA:-muster-data} first= count=0 option=
  _muster_table ''
  local word
  for word in "$@"; do
    if [ -n "$option" ]; then
      if [ "$word" = = ]; then continue; fi
      case $option in -d | --data) data=$word ;; esac
      option=
      continue
    fi
    case $word in
      --data=*) data=${word#*=} ;;
      -*=*) ;;
      -*) if _muster_line "$vals" "$word" >/dev/null; then option=$word; fi ;;
      *)
        if [ -n "$word" ] && _muster_line "$subs" "$word" >/dev/null; then
          path="${path:+$path }$word"
          _muster_table "$path"
        else
          count=$((count + 1))
          [ "$count" -gt 1 ] || first=$word
        fi
        ;;
    esac
  done
  # The shell leaves this to the command line: here it is a word.
  case $data in '~' | '~/'*) data=$HOME${data#'~'} ;; esac
}

# Prints what stands behind a name in lines of names and texts; fails where there is no such name.
_muster_line() {
  local name text
  while IFS=$'\t' read -r name text; do
    if [ "$name" = "$2" ]; then
      printf '%s\n' "$text"
      return 0
    fi
  done <<<"$1"
  return 1
}

# Prints the kind of the argument at the cursor.
_muster_argument() {
  local kind at=0 last=
  [ -n "$args" ] || return 0
  while IFS= read -r kind; do
    if [ "$at" -eq "$count" ]; then
      printf '%s\n' "$kind"
      return 0
    fi
    last=$kind
    at=$((at + 1))
  done <<<"$args"
  [ -z "$more" ] || printf '%s\n' "$last"
}

_muster() {
  local path data first count option subs opts vals args more kind name text
  local cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  [ "$cur" != = ] || cur=
  _muster_parse "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  if [ -n "$option" ]; then
    kind=$(_muster_line "$vals" "$option")
  elif [[ $cur == -* ]]; then
    while IFS=$'\t' read -r name text; do
      [[ $name != "$cur"* ]] || COMPREPLY+=("$name")
    done <<<"$opts"
    return
  elif [ -n "$subs" ]; then
    while IFS=$'\t' read -r name text; do
      [[ $name != "$cur"* ]] || COMPREPLY+=("$name")
    done <<<"$subs"
    return
  else
    kind=$(_muster_argument)
  fi
  case $kind in
    @file)
      compopt -o filenames 2>/dev/null
      while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$cur")
      ;;
    @*)
      while IFS= read -r name; do
        [[ -z $name || $name != "$cur"* ]] || COMPREPLY+=("$(printf %q "$name")")
      done < <(_muster_names "${kind#@}" "$data" "$first")
      ;;
    ?*)
      while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -W "$kind" -- "$cur")
      ;;
  esac
}
complete -F _muster muster ./muster
