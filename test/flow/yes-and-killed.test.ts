import { afterEach, expect, it } from 'vitest';
import { launchOffice, type Office, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

// The run for what was asked for behind a yes is written before the yes is acted on: a death in between must lose neither.
it.each(['accept.committed', 'accept.seen'])(
  'a yes with a request behind it is acted on once, and its words reach one run, where the process dies at %s',
  async (label) => {
    const office = await launchOffice({
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    });
    open.office = office;
    await office.ask('/send_email {"to": ["bob@example.org"], "subject": "Offer", "body": "Hello Bob"}');
    const notice = await office.arrival('approval', OWNER);
    const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
    const yes = () =>
      office.answer(notice, 'Yes, and remind me on Friday to call Carol.', {
        messageId: '<yes-and@example.com>',
        date: new Date('2026-11-29T10:00:00Z'),
      });
    await yes().catch(() => {});
    await dying.death();
    await office.restart({});
    // Its server was told nothing, or nothing that it could be sure of.
    await yes();
    await onceRecorded(office.root, async () => expect(await office.states()).toEqual(['executed']));
    await onceRecorded(office.root, async () => {
      const { runs } = (await office.cli('runs', 'list')).json;
      const own = runs.filter(({ message_id: id }: { message_id: string }) => id === '<yes-and@example.com>');
      expect(own.map(({ status }: { status: string }) => status)).toEqual(['done']);
    });
    expect(await office.left('reply', OWNER)).toHaveLength(1);
    expect(await office.left('clarify')).toEqual([]);
  },
);
