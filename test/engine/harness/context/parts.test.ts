import { expect, it } from 'vitest';
import { ownRowsOf, readerOf, timedLook } from '../../../../engine/harness/context/parts.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';

const began = { at: 100, now: () => 100 };
const part = { name: 'slow', deadlineMs: 5, charsOf: (text: string) => text.length };

it('B-2: a part that hangs is late, and says so', async () => {
  const { span, result } = await timedLook(part, () => new Promise<string>(() => {}), began);
  expect([result, span.error]).toEqual([null, 'slow took longer than 5 ms']);
});

it('a part that throws at once fails alone', async () => {
  const { span, result } = await timedLook(
    part,
    () => {
      throw new Error('no');
    },
    began,
  );
  expect([result, span]).toEqual([null, { part: 'slow', from_ms: 0, ms: 0, chars: 0, error: 'no' }]);
});

it('B-3: a stage gets nothing of the store that writes, whatever its type is cast to', async () => {
  const store = openStore(':memory:');
  const reader: object = readerOf(store);
  expect(Object.keys(reader).sort()).toEqual(
    [
      ...[
        'countSeen',
        'draftsOfThread',
        'episodesAt',
        'findClosings',
        'findNotice',
        'getRun',
        'pendingApprovals',
        'likelyEpisodes',
        'openApprovalsOfThread',
        'openApprovalsOfAll',
        'knownParticipants',
        'namesOfPeople',
        'search',
        'seenThreads',
        'threadPage',
      ],
      ...['shownTexts', 'threadMemory', 'disputedFacts', 'factsByIds', 'factsFor', 'rulesFor', 'rulesByIds'],
    ].sort(),
  );
  expect(() => Object.assign(reader, { commitStep: store.commitStep })).toThrow(TypeError);
  await store.close();
});

it('a part gets rows that it keeps for itself, and by them no way to the record of a run', async () => {
  const store = openStore(':memory:');
  const own: object = ownRowsOf(store);
  expect(Object.keys(own).sort()).toEqual(
    [
      ...['keepInvitations', 'statesOfInvitation', 'invitationsOfThread', 'answersToInvitation', 'newestInvitation'],
      ...['playbookInForce', 'nameOfSender'],
    ].sort(),
  );
  expect(() => Object.assign(own, { commitStep: store.commitStep })).toThrow(TypeError);
  await store.close();
});
