/**
 * Joins the lines of a format=flowed text (RFC 3676 section 4). A line that ends in a blank goes on in the next one
 * only where both are quoted equally deep: blanks at line ends are not signed by most signers, and whoever adds one must
 * not be able to carry what was quoted into what was written.
 */
export function unflow(text: string, delSp: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let depth = -1;
  const end = () => {
    if (paragraph.length > 0) out.push(paragraph.join(''));
    paragraph = [];
    depth = -1;
  };
  for (const line of text.split('\n')) {
    const marks = /^>*/.exec(line)?.[0] ?? '';
    // A blank is stuffed in front of what would otherwise look like a quote mark.
    const content = line.slice(marks.length).replace(/^ /, '');
    const isFlowed = content.endsWith(' ') && content !== '-- ';
    if (paragraph.length > 0 && (depth !== marks.length || content === '-- ')) end();
    if (paragraph.length === 0 && marks !== '') paragraph.push(`${marks} `);
    paragraph.push(isFlowed && delSp ? content.slice(0, -1) : content);
    depth = marks.length;
    if (!isFlowed) end();
  }
  end();
  return out.join('\n');
}
