# dev_setup [GROUP...]: installs the missing packages of a group: Debian packages from packages/*.debian.txt,
# Python packages from packages/*.python.txt into .venv. Groups: build (sufficient for `demo`), test, bench, docs, fuzz, wheel.
# A stamp in .venv, named after a hash of the lists, makes a second call take only milliseconds.

dev_lists=utils/dev/packages

# Prints the groups that GROUP includes, itself last.
dev_groups_of() {
  case "$1" in
    build) echo build ;;
    test) echo build test torch docs ;;
    bench) echo build test torch docs bench ;;
    docs) echo build docs ;;
    fuzz) echo build fuzz ;;
    wheel) echo build wheel ;;
    *) echo "dev setup: no group '$1'; groups: build test bench docs fuzz wheel" >&2; return 2 ;;
  esac
}

# The lines of a list without comments; nothing if the list does not exist.
dev_list() { [ -f "$1" ] && grep -vE '^[[:space:]]*(#|$)' "$1" || true; }

# The Debian packages of the named lists that are not installed.
dev_missing_debian() {
  local group wanted=()
  for group in "$@"; do mapfile -t -O "${#wanted[@]}" wanted < <(dev_list "$dev_lists/$group.debian.txt"); done
  [ "${#wanted[@]}" -gt 0 ] || return 0
  dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
    sed -n 's/^installed //p' | sort -u | comm -13 - <(printf '%s\n' "${wanted[@]}" | sort -u)
}

dev_install_debian() {
  local missing sudo=()
  command -v dpkg-query >/dev/null || {
    echo "dev setup: this is not a Debian system; install what is listed in $dev_lists/*.debian.txt by its own means" >&2
    return 2
  }
  mapfile -t missing < <(dev_missing_debian "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null || { command -v sudo >/dev/null && [ -t 0 ]; }; then
      sudo=(sudo)
    else
      echo "dev setup: these Debian packages are missing and need root to install:" >&2
      printf '  %s\n' "${missing[@]}" >&2
      echo "dev setup: run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
      return 2
    fi
  fi
  echo "dev setup: installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log=.cache/setup-debian.log apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0)
  mkdir -p .cache
  { "${sudo[@]}" "${apt[@]}" update && "${sudo[@]}" "${apt[@]}" install --no-install-recommends "${missing[@]}"; } \
    </dev/null >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "dev setup: apt-get failed; the whole log is $log" >&2
    return 2
  }
}

# Installs one Python list into .venv unless there is a stamp of its current content. Packages that any list names with a version keep it:
# otherwise a package of one list (torchvision) would install a newer release of a package of another (torch).
dev_install_python() {
  local list="$dev_lists/$1.python.txt" stamp options=() log=.cache/setup-python.log
  [ -f "$list" ] || return 0
  stamp=".venv/.assay-$1-$(sha256sum "$list" | cut -c1-16)"
  [ ! -f "$stamp" ] || return 0
  echo "dev setup: installing Python packages in .venv: $(dev_list "$list" | tr '\n' ' ')"
  mkdir -p .cache
  cat "$dev_lists"/*.python.txt | grep -E '^[A-Za-z0-9_.-]+==' >.cache/constraints.txt || true
  options=(--constraint .cache/constraints.txt)
  dev_list "$list" | grep -qx -- --no-deps && options+=(--no-deps)
  dev_list "$list" | grep -vx -- --no-deps >.cache/requirements.txt
  .venv/bin/python -m pip install --disable-pip-version-check --no-input "${options[@]}" \
    -r .cache/requirements.txt </dev/null >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "dev setup: pip failed; the whole log is $log" >&2
    return 2
  }
  rm -f ".venv/.assay-$1-"*
  : >"$stamp"
}

dev_setup() {
  local group lists=() python=python3
  [ $# -gt 0 ] || set -- build test
  for group in "$@"; do lists+=($(dev_groups_of "$group")) || return 2; done
  mapfile -t lists < <(printf '%s\n' "${lists[@]}" | awk '!seen[$0]++')
  dev_install_debian "${lists[@]}" || return
  if [ ! -x .venv/bin/python ]; then
    # Debian's own interpreter, to which python3-venv and the headers of python3-dev belong.
    [ -x /usr/bin/python3 ] && python=/usr/bin/python3
    "$python" -m venv .venv || { echo "dev setup: $python can't make .venv (is python3-venv installed?)" >&2; return 2; }
  fi
  for group in "${lists[@]}"; do dev_install_python "$group" || return; done
}
