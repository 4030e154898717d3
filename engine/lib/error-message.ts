/** Tools may throw anything, also what throws again when it is printed. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'an error that cannot be printed';
  }
}
