import { EngineError } from '#contract';

/** Counting stops here: the exact number no longer helps, and a crafted pair of texts could make it slow. */
const MAX_COUNT = 100;

/** Overlapping ones count each: `aa` stands twice in `aaa`, and which was meant is not known. */
function countOf(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0 && count < MAX_COUNT; at = text.indexOf(wanted, at + 1)) count += 1;
  return count;
}

/** The text with the one place changed. Throws `invalid_arguments` when it is not exactly one. */
export function replaceOnce(text: string, oldText: string, newText: string): string {
  if (oldText === newText) throw new EngineError('invalid_arguments', 'old_text and new_text are the same');
  const count = countOf(text, oldText);
  if (count === 0) {
    const hint = text.includes('\r\n') && !oldText.includes('\r') ? ' (its lines end in CR LF)' : '';
    throw new EngineError('invalid_arguments', `old_text occurs 0 times in the file${hint}; read it and copy exactly`);
  }
  if (count > 1) {
    const times = count === MAX_COUNT ? `${MAX_COUNT} times or more` : `${count} times`;
    throw new EngineError('invalid_arguments', `old_text occurs ${times}; add lines around it until it is unique`);
  }
  const at = text.indexOf(oldText);
  // Not String.replace: `$&` and `$1` in new_text would be patterns there.
  return text.slice(0, at) + newText + text.slice(at + oldText.length);
}
