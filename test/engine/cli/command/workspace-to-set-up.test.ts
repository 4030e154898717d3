import { describe, expect, it } from 'vitest';
import { workspaceToSetUp } from '../../../../engine/cli/command/which-workspace.ts';

describe('the workspace that setup is about, where no folder is typed', () => {
  const shop = { named: null, home: '/home/olga', isAsked: true, lastStarted: () => '/home/olga/shop' };

  it.each([
    ['the one that the environment names', { ...shop, named: '/srv/shop' }, '/srv/shop'],
    ['the one that was started last', shop, '/home/olga/shop'],
    ['a new one at home', { ...shop, lastStarted: () => null }, '/home/olga/epistle'],
    ['never the last one where nobody is asked', { ...shop, isAsked: false }, '/home/olga/epistle'],
    ['the named one, also where nobody is asked', { ...shop, named: '/srv/shop', isAsked: false }, '/srv/shop'],
  ])('is %s', (_what, where, root) => {
    expect(workspaceToSetUp(where)).toBe(root);
  });
});
