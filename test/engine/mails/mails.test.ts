import { describe, expect, it } from 'vitest';
import { composed, KINDS } from './kinds.ts';
import { partsOf } from './parts.ts';

describe.each(['en', 'de'] as const)('what people are written, in %s', (language) => {
  it.each(KINDS)('$name', async (kind) => {
    const { subject, text, html } = await partsOf(await composed(kind, language));
    await expect(`Subject: ${subject}\n\n${text}`).toMatchFileSnapshot(`snapshots/${kind.name}.${language}.txt`);
    await expect(html).toMatchFileSnapshot(`snapshots/${kind.name}.${language}.html`);
  });
});
