import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Spoken } from './kind.ts';
import { composed, KINDS } from './kinds.ts';
import { partsOf } from './parts.ts';

// Pictures of each kind of mail, to be looked at by people: light, dark, and as wide as a phone.
// node test/engine/mails/looks.ts FOLDER [kind …]      CHROMIUM=/usr/bin/chromium

const [folder = '/tmp/looks', ...only] = process.argv.slice(2);
const browser = process.env.CHROMIUM ?? 'chromium';

/** A window is never narrower than 500 pixels, so the phone is a frame inside of one. */
const LOOKS = {
  light: { width: 800, args: [], framed: false },
  dark: { width: 800, args: ['--blink-settings=preferredColorScheme=0'], framed: false },
  phone: { width: 500, args: [], framed: true },
  'phone-dark': { width: 500, args: ['--blink-settings=preferredColorScheme=0'], framed: true },
} as const;

const out = resolve(folder);
mkdirSync(out, { recursive: true });
for (const kind of KINDS.filter(({ name }) => only.length === 0 || only.includes(name))) {
  for (const language of ['en', 'de'] satisfies Spoken[]) {
    const { html } = await partsOf(await composed(kind, language));
    const file = join(out, `${kind.name}.${language}.html`);
    writeFileSync(file, html);
    writeFileSync(
      join(out, 'phone.html'),
      `<body style="margin:0"><iframe src="${file}" style="width:390px;height:1400px;border:0;border-right:1px solid red">`,
    );
    for (const [look, { width, args, framed }] of Object.entries(LOOKS)) {
      const picture = join(out, `${kind.name}.${language}.${look}.png`);
      const { status, stderr } = spawnSync(browser, [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--allow-file-access-from-files'],
        ...[`--window-size=${width},1400`, `--screenshot=${picture}`],
        ...args,
        `file://${framed ? join(out, 'phone.html') : file}`,
      ]);
      process.stdout.write(`${picture} ${status === 0 ? 'written' : String(stderr)}\n`);
    }
  }
}
