import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { schemaPath } from '../../../config/writing/json-text.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { writeSchemas } from './schemas.ts';

/** The checkout, or `dist/` of the package: both have `configs/` and `personas/` as templates. */
const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url));

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

/** The last one names folders of this machine. */
const GITIGNORE = `# Keys, mail, and what personas keep.
.env
.setup.json
/configs/.change.json*
/data/
/backups/
/deleted/
/extensions/tsconfig.json
`;

const EXTENSIONS = 'extensions/extensions.json';

/** The text of a file of settings that names its schema first: an editor then completes and checks it. */
function withSchema(path: string, text: string): string {
  if (!path.endsWith('.json')) return text;
  const rest = text.slice(text.indexOf('{') + 1);
  return `{\n  "$schema": ${JSON.stringify(schemaPath(path))}${rest.trim() === '}' ? '\n' : ','}${rest}`;
}

/** A persona works by the clock of whoever makes it. */
function inZone(path: string, text: string): string {
  const zone = systemZone();
  if (!path.endsWith('persona.json') || zone === 'UTC') return text;
  return text.replace(/\n}\n$/, `,\n  "timezone": ${JSON.stringify(zone)}\n}\n`);
}

/** The files of a new workspace. `personas`: also those of the templates. */
export function templateFiles({ personas = true }: { readonly personas?: boolean } = {}): readonly {
  readonly file: string;
  readonly text: string;
}[] {
  const copied = COPIED.filter((path) => personas || !path.startsWith('personas/'));
  return [
    ...copied.map((file) => ({
      file,
      text: withSchema(file, inZone(file, readFileSync(join(PACKAGE, file), 'utf8'))),
    })),
    {
      file: EXTENSIONS,
      text: withSchema(EXTENSIONS, '{\n  "providers": [],\n  "tools": [],\n  "resolvers": [],\n  "hooks": []\n}\n'),
    },
    { file: '.gitignore', text: GITIGNORE },
    // A package has no dotfiles, so this one is kept under another name.
    { file: '.env.example', text: readFileSync(new URL('./env.example', import.meta.url), 'utf8') },
  ];
}

/** Writes a new workspace into `root`; what is there already stays. Returns the paths that were made. */
export function writeTemplates(root: string): string[] {
  writeSchemas(root);
  return templateFiles().flatMap(({ file, text }) => {
    const target = join(root, file);
    if (existsSync(target)) return [];
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { flag: 'wx' });
    return [file];
  });
}
