import { EngineError } from '#contract';
import { removePasskey } from '../../../actions/passkeys.ts';
import { iso } from '../../../lib/clock.ts';
import { onlyOf } from '../../../queries/id-named.ts';
import type { ConsolePasskey } from '../../../storage/types/gateway.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { atHere } from '../../text/local-time.ts';

/** Nothing of it lets somebody in; what a device is known by is of no use to people. */
const shapeOf = ({ id, address, role, name, rp_id: host, made_at: made, used_at: used }: ConsolePasskey) => ({
  id,
  name,
  address,
  role,
  host,
  made_at: iso(made),
  used_at: used === null ? null : iso(used),
});

const list = defineCommand({
  name: 'passkeys list',
  summary: 'Devices that let somebody into the console',
  async run({ open }) {
    return { passkeys: (await open().gateway.listPasskeys()).map(shapeOf) };
  },
  rows: ({ passkeys: all }) => all,
  columns: {
    NAME: ({ name }) => name,
    WHOSE: ({ address }) => address,
    ROLE: ({ role }) => role,
    MADE: ({ made_at: at }) => atHere(at),
    USED: ({ used_at: at }) => (at === null ? '-' : atHere(at)),
    ID: ({ id }) => id,
  },
  times: true,
  empty: 'There is none. One is added in the console, under Passkeys, where console.public_url is under https.',
});

const remove = defineCommand({
  name: 'passkeys remove',
  summary: 'Take a passkey away: it lets nobody in any more, and puts out who came in by one of that address',
  arguments: ['<id>'],
  async run({ open }, { args: [id] }) {
    const workspace = open();
    const all = await workspace.gateway.listPasskeys();
    const newestFirst = all.map((one) => one.id).reverse();
    const fit = newestFirst.filter((one) => id === 'last' || (id !== '' && (one.startsWith(id) || one.endsWith(id))));
    const wanted = id === 'last' ? fit[0] : onlyOf(fit, 'passkey', id);
    const passkey = all.find((one) => one.id === wanted);
    if (passkey === undefined) throw new EngineError('not_found', `no passkey has the id ${id}`);
    await removePasskey(workspace, passkey, { by: 'cli', keep: null });
    return { passkey: shapeOf(passkey) };
  },
  text: ({ passkey: { name, address } }) => `The passkey “${name}” of ${address} lets nobody in any more.`,
});

export const passkeys: Group = {
  name: 'passkeys',
  summary: 'Keys on devices, for the console',
  commands: [list, remove],
};
