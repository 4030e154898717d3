# Sourced. One lock for everything that changes .runtime, node_modules or dist, so that two first starts at once
# do not install over each other.
#
# The lock is a symbolic link whose target is the holder's process id: made and labelled in one atomic step, where
# mkdir would leave a moment in which a lock has no owner.

lock_take() {
  local lock="$root/.runtime/lock" holder waited=0
  mkdir -p -- "$root/.runtime"
  if [ ! -w "$root/.runtime" ]; then
    say "Epistle is not set up, and $root/.runtime cannot be written."
    exit 1
  fi
  until ln -s "$$" "$lock" 2>/dev/null; do
    holder=$(readlink -- "$lock" 2>/dev/null || true)
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
      lock_break "$lock" "$holder"
    fi
    [ "$waited" -ne 10 ] || say "Waiting for another start (process $holder) to finish its set-up…"
    if [ "$waited" -ge 3000 ]; then
      say "Process $holder has held $lock for ten minutes. If it is not setting up Epistle, remove $lock*."
      exit 1
    fi
    waited=$((waited + 1))
    sleep 0.2
  done
}

# Only one of several waiters may clear a dead holder's lock, and only while it still is that holder's: otherwise the
# second waiter would remove the lock that the first has just taken.
lock_break() {
  local lock=$1 holder=$2
  if mkdir -- "$lock.breaking" 2>/dev/null; then
    if [ "$(readlink -- "$lock" 2>/dev/null || true)" = "$holder" ]; then rm -f -- "$lock"; fi
    rmdir -- "$lock.breaking"
  fi
}

lock_release() {
  rm -f -- "$root/.runtime/lock"
}
