// Writes docs/settings.md and docs/commands.md; test/docs/reference.test.ts says when they are stale.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandsFor } from '../engine/cli/commands/index.ts';
import { commandsPage } from '../engine/cli/commands/reference/commands-page.ts';
import { settingsPage } from '../engine/cli/commands/reference/settings-page.ts';

const docs = (name: string): string => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

writeFileSync(docs('settings.md'), settingsPage());
writeFileSync(docs('commands.md'), commandsPage(await commandsFor([])));
