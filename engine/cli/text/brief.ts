/** JSON in one line, cut to so many characters. */
export function brief(value: unknown, most = 120): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
