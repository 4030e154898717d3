/* global htmx */
// What pages do beyond links and forms: the log-in by a link, keys, copying, and taking up what has changed. All of it is left
// out by a browser without script, and every page works without it.
(() => {
  const page = document.documentElement;
  page.classList.add('script');
  const all = (selector) => [...document.querySelectorAll(selector)];
  const kept = {
    get: (name) => {
      try {
        return localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, value) => {
      try {
        localStorage.setItem(name, value);
      } catch {
        // Switched off in this browser: it holds until the page is left.
      }
    },
  };
  const say = (text) => {
    const said = document.getElementById('said');
    if (said) said.textContent = text;
  };

  // The code stands behind the #, which no browser sends: it is in no log and in no Referer.
  const logIn = document.querySelector('[data-does="log-in"]');
  if (logIn) {
    const code = location.hash.slice(1);
    if (!/^[0-9a-z-]{26,60}$/i.test(code)) return;
    history.replaceState(null, '', location.pathname + location.search);
    logIn.elements.namedItem('code').value = code;
    logIn.submit();
    return;
  }
  // One that was mailed is only filled in: programs open the links of mails, and a person has to press.
  const byMail = document.querySelector('[data-does="by-mail"]');
  const mailed = location.hash.slice(1);
  if (byMail && /^[0-9a-z-]{26,60}$/i.test(mailed)) byMail.elements.namedItem('code').value = mailed;
  if (location.hash.length > 26) history.replaceState(null, '', location.pathname + location.search);

  // Keys.
  let keysAreOn = kept.get('keys') !== 'off';
  let led = 0;
  let at = -1;
  const dialog = document.getElementById('keys');
  const box = document.querySelector('[data-does="keys"]');
  if (box) {
    box.checked = keysAreOn;
    box.addEventListener('change', () => {
      keysAreOn = box.checked;
      kept.set('keys', keysAreOn ? 'on' : 'off');
    });
  }
  const entries = () => all('[data-entry]');
  const step = (by) => {
    const found = entries();
    if (found.length === 0) return;
    at = Math.min(found.length - 1, Math.max(0, at + by));
    for (const one of found) one.classList.remove('at');
    const entry = found[at];
    entry.classList.add('at');
    const link = entry.querySelector('a[href]') ?? entry;
    link.focus({ preventScroll: true });
    entry.scrollIntoView({ block: 'nearest' });
  };
  const follow = (selector) => document.querySelector(selector)?.click();
  const does = {
    '?': () => dialog?.showModal(),
    '/': () => document.getElementById('search')?.focus(),
    j: () => step(1),
    k: () => step(-1),
    o: () => (entries()[at]?.querySelector('a[href]') ?? entries()[at])?.click(),
    u: () => follow('[data-up]'),
    '.': () => follow('[data-does="live"]'),
    a: () => follow('[data-deed="approve"]'),
    d: () => follow('[data-deed="deny"]'),
    e: () => document.querySelector('[data-deed="reason"]')?.focus(),
    Escape: () => follow('[data-deed="back"]'),
  };
  const isTyping = (target) =>
    target instanceof Element && (target.closest('input, textarea, select') !== null || target.isContentEditable);
  document.addEventListener('keydown', (event) => {
    if (!keysAreOn || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog?.open) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (Date.now() - led < 1500) {
      led = 0;
      const place = all('nav [data-key]').find((one) => one.dataset.key === event.key);
      if (place) {
        event.preventDefault();
        place.click();
      }
      return;
    }
    if (event.key === 'g') {
      led = Date.now();
      return;
    }
    if (!Object.hasOwn(does, event.key)) return;
    event.preventDefault();
    does[event.key]();
  });
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest('[data-does="help"]')) dialog?.showModal();
    const copies = target?.closest('[data-copies]');
    if (copies) {
      navigator.clipboard?.writeText(copies.dataset.copies).then(
        () => say('Copied.'),
        () => say('This browser lets no page copy.'),
      );
    }
  });

  // What has changed is taken up where it stands. A page that nobody sees listens to nothing, and nothing is changed under
  // somebody who writes.
  const live = () => document.querySelector('[data-live]');
  const switchLive = document.querySelector('[data-does="live"]');
  let isLive = kept.get('live') !== 'off';
  let source = null;
  let waits = null;
  const isChosen = (choice) =>
    choice.value !== ([...choice.options].find((one) => one.defaultSelected) ?? choice.options[0])?.value;
  const isWriting = () =>
    dialog?.open ||
    isTyping(document.activeElement) ||
    all('[data-live] select').some(isChosen) ||
    all('[data-live] textarea, [data-live] input').some(
      (one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked,
    );
  // What somebody has opened stays so: each part by its name, and where several have one name by its place among them.
  const parts = () => {
    const counts = new Map();
    return all('[data-live] details').map((one) => {
      const name = one.querySelector('summary')?.textContent ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return [`${name} ${counts.get(name)}`, one];
    });
  };
  // It is larger than all the rest, and only what has changed needs it.
  let loaded = null;
  const htmxIsHere = () => {
    loaded ??= new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = document.body.dataset.htmx;
      script.onload = resolve;
      script.onerror = () => {
        loaded = null;
        reject(new Error('A part of the page could not be loaded.'));
      };
      document.head.append(script);
    });
    return loaded;
  };
  const look = (inMs = 300) => {
    if (waits !== null || !live()) return;
    waits = setTimeout(async () => {
      waits = null;
      if (document.hidden) return;
      if (isWriting()) return look(2000);
      await htmxIsHere();
      const entry = entries()[at]?.id;
      const opened = new Map(parts().map(([name, one]) => [name, one.open]));
      await htmx.ajax('GET', location.pathname + location.search, {
        target: '[data-live]',
        select: '[data-live]',
        swap: 'outerMorph',
        headers: { 'x-live': '1' },
      });
      for (const [name, one] of parts()) one.open = opened.get(name) ?? one.open;
      if (entry) {
        at = entries().findIndex((one) => one.id === entry);
        entries()[at]?.classList.add('at');
      }
    }, inMs);
  };
  const listen = () => {
    source?.close();
    source = null;
    if (!isLive || document.hidden || !live()) return;
    const since = encodeURIComponent(document.body.dataset.since ?? '');
    source = new EventSource(`/events?since=${since}`);
    source.addEventListener('changed', () => look());
  };
  const show = () => {
    switchLive?.setAttribute('aria-pressed', String(isLive));
    if (switchLive) switchLive.textContent = isLive ? 'Live: on' : 'Live: off';
  };
  switchLive?.addEventListener('click', () => {
    isLive = !isLive;
    kept.set('live', isLive ? 'on' : 'off');
    show();
    listen();
    say(isLive ? 'Live is on.' : 'Live is off.');
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) look();
    listen();
  });
  // A browser keeps a page that was left, and with it a connection.
  addEventListener('pagehide', () => source?.close());
  addEventListener('pageshow', (event) => {
    if (event.persisted) {
      look();
      listen();
    }
  });
  show();
  listen();

  // What can still be taken back says for how long.
  setInterval(() => {
    for (const bar of all('[data-due]')) {
      const left = Math.max(0, Number(bar.dataset.due) - 1);
      bar.dataset.due = String(left);
      const counts = bar.querySelector('[data-counts]');
      if (counts) counts.textContent = String(left);
      if (left === 0) look(1500);
    }
  }, 1000);
})();
