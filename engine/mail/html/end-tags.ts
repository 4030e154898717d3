/** A start tag whose end tag did not come yet. */
export interface BegunTag {
  readonly name: string;
  isOpen: boolean;
  /** Its end tag came after it was ended. */
  isPaid: boolean;
}

/**
 * Which start tag an end tag belongs to. A browser ends some elements before their end tag comes; that one then still belongs to
 * them, and must not close an element of the same name around them. So HTML of which each tag is closed as it was opened
 * closes nothing of what it is put into, whatever ends what within it.
 */
export function createEndTags() {
  /** As they began. */
  const all: BegunTag[] = [];
  const byName = new Map<string, BegunTag[]>();

  const leaveOut = (tag: BegunTag): void => {
    const same = byName.get(tag.name);
    const at = same?.lastIndexOf(tag) ?? -1;
    if (at >= 0) same?.splice(at, 1);
  };

  return {
    begin(name: string): BegunTag {
      const tag = { name, isOpen: true, isPaid: false };
      all.push(tag);
      const same = byName.get(name);
      if (same) same.push(tag);
      else byName.set(name, [tag]);
      return tag;
    },
    /** Whether this end tag belongs to an element that is ended already. */
    isOfEnded(name: string): boolean {
      const same = byName.get(name);
      const last = same?.at(-1);
      if (!last || last.isOpen) return false;
      same?.pop();
      last.isPaid = true;
      return true;
    },
    /** Its own end tag is here: one that was ended within it, and before, gets none any more. */
    close(tag: BegunTag): void {
      const above: BegunTag[] = [];
      let last = all.pop();
      while (last && last !== tag) {
        if (last.isOpen) above.push(last);
        else if (!last.isPaid) leaveOut(last);
        last = all.pop();
      }
      leaveOut(tag);
      all.push(...above.toReversed());
    },
  };
}
