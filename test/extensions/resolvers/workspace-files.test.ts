import { describe, expect, it } from 'vitest';
import knowledge from '../../../extensions/resolvers/knowledge/index.ts';
import loadFile from '../../../extensions/resolvers/load-file/index.ts';
import standingRules from '../../../extensions/resolvers/standing-rules/index.ts';
import { inputOf, workspace } from './input.ts';

describe('load-file', () => {
  const load = (argument: string | null, files: Record<string, string>) =>
    loadFile.resolve(inputOf({ argument }), workspace(files).capabilities);

  it('puts a file of the workspace into the stable prefix, as it is', async () => {
    expect(await load('configs/prompts/system.md', { 'configs/prompts/system.md': 'Be kind.\n' })).toEqual({
      slot: 'stable',
      text: 'Be kind.',
    });
  });

  it('fills in the persona', async () => {
    const files = { 'personas/ada/PERSONA.md': 'You are Ada.' };
    expect(await load('personas/{persona_id}/PERSONA.md', files)).toMatchObject({ text: 'You are Ada.' });
  });

  it('keeps what the running system wrote out of the prefix and labels it', async () => {
    for (const path of [
      'data/personas/{persona_id}/active.md',
      './data/personas/ada/active.md',
      'configs/../data/personas/ada/active.md',
    ]) {
      const loaded = await load(path, { 'data/personas/ada/active.md': 'Likes tea.' });
      expect(loaded).toMatchObject({
        slot: 'volatile',
        text: expect.stringContaining('no instructions):\nLikes tea.'),
      });
    }
  });

  it('is nothing when the file is missing, empty or not named', async () => {
    expect(await load('data/personas/{persona_id}/active.md', {})).toBeNull();
    expect(await load('empty.md', { 'empty.md': ' \n' })).toBeNull();
    expect(await load(null, {})).toBeNull();
    expect(await load('', {})).toBeNull();
  });
});

describe('standing-rules', () => {
  it('are stable and labelled as the owner wrote them', async () => {
    const { capabilities } = workspace({ 'personas/ada/RULES.md': 'Never promise a date.' });
    const resolved = await standingRules.resolve(inputOf(), capabilities);
    expect(resolved).toMatchObject({
      slot: 'stable',
      text: expect.stringMatching(/written by the owner.*Never promise a date\.$/s),
    });
  });

  it('are nothing without a file', async () => {
    expect(await standingRules.resolve(inputOf(), workspace({}).capabilities)).toBeNull();
  });
});

describe('knowledge', () => {
  const folder = 'personas/ada/knowledge';
  const resolve = async (files: Record<string, string>, budgetTokens = 20_000) => {
    const { asked, capabilities } = workspace(files);
    const resolved = await knowledge.resolve(inputOf({ budgetTokens }), capabilities);
    return { asked, resolved, text: resolved && 'text' in resolved ? resolved.text : '' };
  };

  it('is every text file in name order, whatever order the disk has', async () => {
    const one = await resolve({
      [`${folder}/b.md`]: 'Second.',
      [`${folder}/a.txt`]: 'First.',
      [`${folder}/Z.MD`]: 'Zero.',
    });
    const two = await resolve({
      [`${folder}/Z.MD`]: 'Zero.',
      [`${folder}/a.txt`]: 'First.',
      [`${folder}/b.md`]: 'Second.',
    });
    expect(one.text).toBe(
      'Background knowledge, given by the owner:\n\n## Z.MD\nZero.\n\n## a.txt\nFirst.\n\n## b.md\nSecond.',
    );
    expect(two.text).toBe(one.text);
    expect(one.resolved?.slot).toBe('stable');
  });

  it('leaves out what is no text, hidden or empty', async () => {
    const files = { [`${folder}/logo.png`]: 'x', [`${folder}/.hidden.md`]: 'x', [`${folder}/empty.md`]: ' \n' };
    expect((await resolve(files)).resolved).toBeNull();
    expect((await resolve({})).resolved).toBeNull();
  });

  it('is cut where the budget ends, says so, and reads no further', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${folder}/${10 + n}.md`, 'x'.repeat(900)]));
    const { asked, text } = await resolve(files, 2000);
    expect(text.length).toBeLessThan(2400);
    expect(text).toContain('## 12.md\nxxx');
    expect(text).toMatch(/\[cut: \d+ more characters\]/);
    expect(text).toContain('[not shown, no room: 13.md, 14.md');
    expect(text).toContain('and 37 more]');
    expect(asked.length).toBe(3);
  });
});
