/** On whose account something is waited for. */
export interface Peer {
  readonly key: string;
  /** Somebody of the house: never behind others. */
  readonly first: boolean;
}

/** Smaller goes before larger. */
export type Rank = 0 | 1 | 2;

interface Line<Item> {
  readonly peer: Peer;
  readonly items: Item[];
}

/**
 * Waiting items, taken by rank and in turn by peer: however much one of them asks for, each other is next but so many
 * peers. What comes of one peer keeps its order.
 */
export function createFairQueue<Item>(rankOf: (peer: Peer) => Rank) {
  // In the order in which they are served; who was served goes to the end.
  const lines = new Map<string, Line<Item>>();
  const lineOf = (peer: Peer): Line<Item> => {
    const line = lines.get(peer.key) ?? { peer, items: [] };
    lines.set(peer.key, line);
    return line;
  };

  return {
    push: (peer: Peer, item: Item): void => void lineOf(peer).items.push(item),
    /** For what was begun and has to begin anew. */
    unshift: (peer: Peer, item: Item): void => void lineOf(peer).items.unshift(item),
    /** The next one that may go now; undefined when none may. */
    take(mayGo: (item: Item, peer: Peer, rank: Rank) => boolean): Item | undefined {
      let best: { line: Line<Item>; rank: Rank } | undefined;
      for (const line of lines.values()) {
        const rank = rankOf(line.peer);
        const [item] = line.items;
        if (item === undefined || (best && best.rank <= rank) || !mayGo(item, line.peer, rank)) continue;
        best = { line, rank };
        if (rank === 0) break;
      }
      if (!best) return undefined;
      const { line } = best;
      const item = line.items.shift();
      lines.delete(line.peer.key);
      if (line.items.length > 0) lines.set(line.peer.key, line);
      return item;
    },
    /** Empties it. */
    takeAll(): Item[] {
      const all = [...lines.values()].flatMap(({ items }) => items);
      lines.clear();
      return all;
    },
    isEmpty: () => lines.size === 0,
  };
}
