import { escapeHtml } from './markdown.ts';

// The frame around the HTML part of each mail. Colours are set only where they read well on white and on black, and no
// style is needed to read the mail: some programs take all of them away. Nothing is loaded from anywhere.

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** No one grey is read well on white and on black (4.5 to 1); a part of the text's own colour is, and where a program
 * knows nothing of it, the text is as plain as the rest. */
export const GREY = 'opacity:.7';

/** `language` as in `lang`: screen readers and hyphenation go by it. Null where nobody knows it. */
export const page = (body: string, language: string | null): string =>
  [
    `<!doctype html><html${language === null ? '' : ` lang="${escapeHtml(language)}"`}><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark}</style></head>',
    `<body><div style="${FONT};font-size:16px;line-height:1.5;max-width:680px;overflow-wrap:break-word">`,
    `${body}</div></body></html>\n`,
  ].join('\n');
