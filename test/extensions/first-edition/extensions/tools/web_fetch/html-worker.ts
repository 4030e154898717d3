import { parentPort, workerData } from 'node:worker_threads';
import { htmlToText } from 'html-to-text';
import { type Found, pruneHidden } from './hidden.ts';

/** A root of our own: parsers make no <body> where the page has none, and hidden parts are cut from below one node. */
const ROOT = 'epistle-page';

const found: Found = { title: null };

const text = htmlToText(`<${ROOT}>${String(workerData)}`, {
  wordwrap: false,
  // The default also counts U+200B, which would put a space where a reader sees none.
  whitespaceCharacters: ' \t\r\n\f',
  baseElements: { selectors: [ROOT] },
  limits: { maxDepth: 200, maxInputLength: 2_100_000 },
  formatters: {
    visible: (element, walk, builder) => {
      pruneHidden(element, found);
      walk(element.children, builder);
    },
  },
  selectors: [
    { selector: ROOT, format: 'visible' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

parentPort?.postMessage({ title: found.title, text });
