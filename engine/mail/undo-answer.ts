const MAX_LINE = 200;
/** The word for taking something back, alone or with numbers, in the languages that approvals are read in. */
const UNDO =
  /^(?:(?:bitte|please|por favor|s'il te plaît|s'il vous plaît)[ ,]+)?(?:undo|restore|rückgängig(?: machen)?|wiederherstellen|annuler|restaurer|deshacer|restaurar|annulla|ripristina|desfazer|ongedaan maken|herstellen|cofnij|przywróć|отменить|восстановить|元に戻す|撤销|撤銷|되돌리기)(?:[ :,]+(?<target>all|alle|alles|tout|todo|tutto|#?\d{1,3}(?:[ ,&]+(?:and |und |et |y )?#?\d{1,3})*))?[ ,.!]*(?:please|bitte)?[.!]*$/iu;

/**
 * Which of the numbered items are to be taken back: the first line of the new text says so, and nothing but it. Null
 * when the mail says something else; an empty list when it says undo but not of what.
 */
export function readUndo(newText: string, items: readonly number[]): readonly number[] | null {
  const first = newText
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '' && !/^[>＞]/.test(line));
  // Longer lines say more than that.
  const match = first !== undefined && first.length <= MAX_LINE ? UNDO.exec(first.normalize('NFC')) : null;
  if (!match) return null;
  const target = match.groups?.target;
  if (target === undefined) return items.length === 1 ? items : [];
  const numbers = target.match(/\d+/g)?.map(Number);
  if (!numbers) return items;
  return numbers.every((number) => items.includes(number)) ? [...new Set(numbers)] : [];
}
