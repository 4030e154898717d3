// Writes engine/languages/sentences.ts; test/engine/languages/sentences.test.ts says when it is stale.
import { writeFileSync } from 'node:fs';
import { sentencesModule } from './lib/sentences.ts';

writeFileSync(new URL('../engine/languages/sentences.ts', import.meta.url), sentencesModule());
