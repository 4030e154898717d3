import { afterEach, describe, expect, it } from 'vitest';
import { pausePersona, resumePersona } from '../../../engine/actions/pause.ts';
import { auditOf, openSite } from './site.ts';

const OLGA = 'olga@example.com';
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function site() {
  const opened = openSite();
  closers.push(opened.close);
  const { gateway, stores } = opened.workspace;
  const log = async () => (await auditOf(opened.workspace, 'ada')).map(({ event, actor }) => [event, actor]);
  /** An owner's mail says it at the moment in which who asks for something else is put on record. */
  const inBetween = (say: 'stopped' | null): typeof stores => ({
    ...stores,
    async use(persona, work) {
      const done = await stores.use(persona, work);
      await gateway.setPaused('ada', say);
      return done;
    },
  });
  return { ...opened.workspace, log, inBetween };
}

describe('a pause of a persona that an owner has stopped', () => {
  it('leaves it stopped, so that its mail is still held, and nobody is named for it', async () => {
    const ports = site();
    await ports.gateway.setPaused('ada', 'stopped');
    expect(await pausePersona(ports, { personaId: 'ada', by: 'cli' })).toBe('stopped');
    expect(await ports.gateway.isStopped('ada')).toBe(true);
    expect(await ports.log()).toEqual([]);
  });

  it('leaves it stopped also where the STOP comes in the last moment, and says on record that it was not done', async () => {
    const ports = site();
    const stores = ports.inBetween('stopped');
    expect(await pausePersona({ ...ports, stores }, { personaId: 'ada', by: OLGA })).toBe('stopped');
    expect(await ports.gateway.isStopped('ada')).toBe(true);
    expect(await ports.log()).toEqual([
      ['persona_paused', OLGA],
      ['persona_not_paused', OLGA],
    ]);
  });
});

describe('a persona that somebody lets go on', () => {
  it('goes on from what they were shown alone', async () => {
    const ports = site();
    const resume = (shown?: string) => resumePersona(ports, { personaId: 'ada', by: OLGA, ...(shown && { shown }) });
    expect(await resume()).toBe('on');
    await ports.gateway.setPaused('ada', 'stopped');
    expect(await resume('paused')).toBe('stopped');
    expect(await ports.log()).toEqual([]);
    expect(await resume('stopped')).toBe(0);
    expect(await ports.gateway.pauseOf('ada')).toBeNull();
    expect(await ports.log()).toEqual([['persona_resumed', OLGA]]);
  });

  it('stays stopped where the STOP comes in the last moment', async () => {
    const ports = site();
    await ports.gateway.setPaused('ada', 'paused');
    const stores = ports.inBetween('stopped');
    expect(await resumePersona({ ...ports, stores }, { personaId: 'ada', by: OLGA, shown: 'paused' })).toBe('stopped');
    expect(await ports.gateway.isStopped('ada')).toBe(true);
    expect((await ports.log()).map(([event]) => event)).toEqual(['persona_resumed', 'persona_not_resumed']);
  });
});

describe('a process that is killed while it pauses a persona, or lets it go on', () => {
  it.each([
    ['persona_paused', pausePersona, null],
    ['persona_resumed', resumePersona, 'paused'],
  ] as const)('has put who asked on record before: %s', async (event, act, before) => {
    const ports = site();
    await ports.gateway.setPaused('ada', before);
    const gateway = {
      ...ports.gateway,
      async setPaused(): Promise<boolean> {
        expect(await ports.log()).toEqual([[event, OLGA]]);
        throw new Error('the process is gone');
      },
    };
    await expect(act({ ...ports, gateway }, { personaId: 'ada', by: OLGA })).rejects.toThrow('gone');
    expect(await ports.log()).toEqual([[event, OLGA]]);
  });
});
