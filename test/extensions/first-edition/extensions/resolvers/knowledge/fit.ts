export interface KnowledgeFile {
  readonly name: string;
  readonly text: string;
}

const isText = (name: string) => /\.(md|txt)$/i.test(name) && !name.startsWith('.');

/** Text files in an order that no file system or locale decides, so that the prompt's prefix stays the same. */
export const textFiles = (names: readonly string[]): string[] =>
  names.filter(isText).sort((a, b) => (a < b ? -1 : Number(a > b)));

const section = ({ name, text }: KnowledgeFile) => `## ${name}\n${text}`;

/** Adds files until the budget is spent; the one that crosses it is cut and says so. Returns whether it all fitted. */
export function addFile(sections: string[], file: KnowledgeFile, maxCharacters: number): boolean {
  const used = sections.reduce((sum, text) => sum + text.length, 0);
  const whole = section(file);
  if (used + whole.length <= maxCharacters) {
    sections.push(whole);
    return true;
  }
  const room = maxCharacters - used - section({ name: file.name, text: '' }).length;
  if (room > 0) {
    const kept = file.text.slice(0, room).toWellFormed();
    sections.push(`${section({ name: file.name, text: kept })}\n[cut: ${file.text.length - room} more characters]`);
  }
  return false;
}
