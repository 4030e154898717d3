import { expect, it } from 'vitest';
import { isHandedOn, parseResolverCall } from '../../../../engine/harness/context/config.ts';

it('hands a child run no notes of the running system, however their place is written', () => {
  const isHanded = (argument: string) => isHandedOn(parseResolverCall(`load-file(${argument})`, { persona_id: 'ada' }));
  expect(['configs/prompts/system.md', 'personas/{persona_id}/PERSONA.md', 'database.md'].map(isHanded)).toEqual([
    true,
    true,
    true,
  ]);
  const notes = ['data/x.md', './data/x.md', ' data/x.md', 'Data/x.md', 'configs/../data/x.md', 'data//x.md', 'data'];
  expect(notes.filter(isHanded)).toEqual([]);
});
