/**
 * On a large machine V8 and malloc take what they can get. Only a command line and an environment can say otherwise; a
 * running Node no longer listens. `scripts/lib/runtime.sh` says the same to a gateway that a person starts.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50'];

export const MALLOC: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '2097152',
};
