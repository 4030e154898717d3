import { describe, expect, it } from 'vitest';
import {
  differenceOf,
  type RatedVersion,
  versionNamed,
  versionsToDrop,
} from '../../../engine/learning/versions/named.ts';

const rated = (count: number, h: Readonly<Record<number, number>> = {}): RatedVersion[] =>
  Array.from({ length: count }, (_, index) => ({
    version: {
      id: `id-${index + 1}`,
      kind: 'answer',
      number: index + 1,
      parent_id: index === 0 ? null : `id-${index}`,
      playbook_json: '{}',
      origin: 'owner',
      tainted: 0,
      score: null,
      created_at: 0,
    },
    h: h[index + 1] ?? null,
  }));

describe('the name of a version', () => {
  it.each([
    ['latest', 4],
    ['best', 2],
    ['v3', 3],
    ['id-1', 1],
  ])('%s is version %i', (ref, number) => {
    expect(versionNamed(rated(4, { 2: 0.9, 3: 0.5 }), ref)).toMatchObject({ version: { number } });
  });

  it.each([
    ['v9', 'NOT_FOUND'],
    ['nothing', 'NOT_FOUND'],
    ['v1.2', 'INVALID_GRAMMAR'],
    ['', 'INVALID_GRAMMAR'],
    ['v 1', 'INVALID_GRAMMAR'],
  ])('%s is %s', (ref, code) => {
    expect(versionNamed(rated(4), ref)).toBe(code);
  });

  it('means nothing where there is none', () => {
    expect(versionNamed([], 'latest')).toBe('NO_VERSIONS');
  });
});

describe('versions that are too many', () => {
  it('H-25: the newest, the best with its ancestors and the pinned one stay, whatever the room', () => {
    const all = rated(25, { 3: 0.9 });
    const gone = versionsToDrop(all, 'id-10', 20);
    const left = all.map(({ version }) => version.id).filter((id) => !gone.includes(id));
    expect(left).toHaveLength(19);
    expect(left).toEqual(expect.arrayContaining(['id-1', 'id-2', 'id-3', 'id-10', 'id-25', 'id-24']));
    expect(versionsToDrop(all, 'id-10', 1)).not.toEqual(expect.arrayContaining(['id-1']));
    expect(versionsToDrop(rated(3), null, 20)).toEqual([]);
  });
});

describe('what differs between two versions', () => {
  it('H-26: is told line by line, and nothing where nothing differs', () => {
    expect(differenceOf('a\nb\nc', 'a\nx\nc\nd')).toEqual(['- b', '+ x', '+ d']);
    expect(differenceOf('a\nb', 'a\nb')).toEqual([]);
    expect(differenceOf('b\na', 'a\nb')).toHaveLength(2);
  });
});
