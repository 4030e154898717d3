/** An IPv4 peer of a dual-stack socket under its own address. */
export const plainIp = (address: string): string => address.replace(/^::ffff:/i, '').toLowerCase();

export interface Connections {
  /** False: this address has all it may have. */
  enter(id: string, ip: string): boolean;
  leave(id: string): void;
}

/**
 * Keeps one address from taking all connections, and any connection from lasting for ever: the idle timeout starts
 * anew with every byte, so a client that sends one a minute is never idle.
 */
export function boundConnections(bounds: {
  perAddress: number;
  lifetimeMs: number;
  isExempt(ip: string): boolean;
  expire(id: string): void;
}): Connections {
  const open = new Map<string, { ip: string; life: NodeJS.Timeout }>();
  const perIp = new Map<string, number>();
  return {
    enter(id, ip) {
      const before = perIp.get(ip) ?? 0;
      if (before >= bounds.perAddress && !bounds.isExempt(ip)) return false;
      perIp.set(ip, before + 1);
      const life = setTimeout(() => bounds.expire(id), bounds.lifetimeMs);
      life.unref();
      open.set(id, { ip, life });
      return true;
    },
    leave(id) {
      const known = open.get(id);
      if (!known) return;
      open.delete(id);
      clearTimeout(known.life);
      const rest = (perIp.get(known.ip) ?? 1) - 1;
      if (rest > 0) perIp.set(known.ip, rest);
      else perIp.delete(known.ip);
    },
  };
}
