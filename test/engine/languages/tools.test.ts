import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownToolInWords } from '../../../engine/languages/tools.ts';
import { root } from '../../house/sources.ts';

describe('a tool that comes with Epistle', () => {
  it.each(readdirSync(join(root, 'extensions/tools')))('%s is said in words, not by its name', (tool) => {
    const said = ownToolInWords(tool, 'en');
    expect(said).toMatch(/^[a-z]/);
    expect(said).not.toBe(tool.replaceAll('_', ' '));
  });
});
