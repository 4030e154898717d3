// Writes what publishing.json says into package.json. `--check` changes nothing and says what keeps the package from being published; with
// `--tag v0.1.0` also whether that is its version. A folder as the last word is looked at in place of the checkout.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FIELDS, missingIn, problemsOf, withFields } from './lib/publishing.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false }, tag: { type: 'string' } },
  allowPositionals: true,
});
const root = positionals[0] ?? fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'package.json');
const manifest = JSON.parse(readFileSync(file, 'utf8'));
const fields = FIELDS.parse(JSON.parse(readFileSync(join(root, 'publishing.json'), 'utf8')));
if (values.check) {
  const problems = problemsOf(manifest, fields, values.tag ?? null);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} else {
  writeFileSync(file, `${JSON.stringify(withFields(manifest, fields), null, 2)}\n`);
  const missing = missingIn(fields);
  process.stdout.write(
    missing.length > 0 ? `Not to be published yet: ${missing.join(', ')} is empty.\n` : 'Ready to be published.\n',
  );
}
