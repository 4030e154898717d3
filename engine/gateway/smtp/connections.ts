import { countedAs } from '../../lib/ip-address.ts';

interface Connections {
  /** False: this address, or all together, have what they may have. */
  enter(id: string, ip: string): boolean;
  leave(id: string): void;
  /** Aborts when the connection is gone; at once for one that is not known. */
  gone(id: string): AbortSignal;
}

interface Open {
  readonly address: string;
  readonly isExempt: boolean;
  readonly life: NodeJS.Timeout;
  readonly gone: AbortController;
}

/**
 * Keeps one address from taking all connections, and any connection from lasting for ever: the idle timeout starts
 * anew with every byte, so a client that sends one a minute is never idle. Where all are taken, whoever has fewer gets
 * one of whoever has most: else three addresses keep everybody out, and the owner's own programs with them.
 */
export function boundConnections(bounds: {
  all: number;
  perAddress: number;
  lifetimeMs: number;
  isExempt(ip: string): boolean;
  expire(id: string, why: 'too_long' | 'too_many'): void;
}): Connections {
  // In the order they came, so that the first of an address is its oldest.
  const open = new Map<string, Open>();
  const perAddress = new Map<string, number>();

  const leave = (id: string): void => {
    const known = open.get(id);
    if (!known) return;
    open.delete(id);
    clearTimeout(known.life);
    known.gone.abort();
    const rest = (perAddress.get(known.address) ?? 1) - 1;
    if (rest > 0) perAddress.set(known.address, rest);
    else perAddress.delete(known.address);
  };

  /** False when nobody has clearly more than who asks. */
  const makePlace = (mine: number): boolean => {
    let most: { id: string; count: number } | undefined;
    for (const [id, { address, isExempt }] of open) {
      const count = perAddress.get(address) ?? 0;
      if (!isExempt && count > (most?.count ?? mine + 1)) most = { id, count };
    }
    if (!most) return false;
    leave(most.id);
    bounds.expire(most.id, 'too_many');
    return true;
  };

  return {
    enter(id, ip) {
      const address = countedAs(ip);
      const isExempt = bounds.isExempt(ip);
      const before = perAddress.get(address) ?? 0;
      if (before >= bounds.perAddress && !isExempt) return false;
      if (open.size >= bounds.all && !makePlace(before)) return false;
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
      const life = setTimeout(() => bounds.expire(id, 'too_long'), bounds.lifetimeMs);
      life.unref();
      open.set(id, { address, isExempt, life, gone: new AbortController() });
      return true;
    },
    leave,
    gone: (id) => open.get(id)?.gone.signal ?? AbortSignal.abort(),
  };
}
