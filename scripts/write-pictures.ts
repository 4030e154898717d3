// Writes the pictures of docs/console.md, in the office of test/corpus/console; test/docs/pictures.test.ts says when one is missing or of no use.
// A folder as the first word takes them elsewhere. It needs Debian's Chromium.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePictures } from './lib/pictures.ts';

const folder = process.argv[2] ?? fileURLToPath(new URL('../docs/pictures', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const name of await writePictures(folder)) process.stdout.write(`${join(folder, name)}\n`);
