import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout, or `dist/` of the package: both have `configs/` and `personas/` as templates. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** Named one by one: a checkout may also be somebody's own workspace, with personas that are nobody else's business. */
const COPIED = [
  'configs/gateway.json',
  'configs/inference.json',
  'configs/context.json',
  'configs/security.json',
  'configs/system.json',
  'configs/prompts/system.md',
  'personas/ada/persona.json',
  'personas/ada/PERSONA.md',
  'personas/ben/persona.json',
  'personas/ben/PERSONA.md',
];

/** Writes a new workspace into `root`; what is there already stays. Returns the paths that were made. */
export function writeTemplates(root: string): string[] {
  const files: [string, () => string | Buffer][] = [
    ...COPIED.map((path): [string, () => Buffer] => [path, () => readFileSync(join(PACKAGE, path))]),
    [
      'extensions/extensions.json',
      () => '{\n  "providers": [],\n  "tools": [],\n  "resolvers": [],\n  "hooks": []\n}\n',
    ],
    // A package has no dotfiles, so this one is kept under another name.
    ['.env.example', () => readFileSync(new URL('./env.example', import.meta.url))],
  ];
  return files.flatMap(([path, content]) => {
    const target = join(root, path);
    if (existsSync(target)) return [];
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content(), { flag: 'wx' });
    return [path];
  });
}
