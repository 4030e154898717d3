/** No account has it, so its limits are its own. */
export const USER = 54_321;

/**
 * The shell does not run as root, and those who try it out often are. From here on this process and all that it starts
 * are somebody else: what was opened stays open, what is made is theirs.
 */
export function becomeUser(): void {
  if (process.geteuid?.() !== 0) return;
  process.setgroups?.([]);
  process.setgid?.(USER);
  process.setuid?.(USER);
}
