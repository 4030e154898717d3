// mailparser leaves `<a><b>` glued together and invents `<garbage>`; replies are matched by these, so read them here.
const MESSAGE_ID = /<[^<>\s]{1,990}>/g;
const MAX_IDS = 100;

/** Message-IDs with angle brackets, in order, without repeats; the first and the newest when there are too many. */
export function messageIds(values: readonly string[]): string[] {
  const unique = [...new Set(values.flatMap((value) => value.slice(0, 131_072).match(MESSAGE_ID) ?? []))];
  return unique.length > MAX_IDS ? [...unique.slice(0, 1), ...unique.slice(-(MAX_IDS - 1))] : unique;
}

/** The mail's own id; a bare `a@b` gets brackets, because senders leave them out. Null when there is none. */
export function ownMessageId(value: string | null): string | null {
  if (value === null) return null;
  const [id] = messageIds([value]);
  if (id) return id;
  return /^[^<>\s@]+@[^<>\s@]+$/.test(value) && value.length < 990 ? `<${value}>` : null;
}
