// Names of hosts in the letters that the net carries: lower case, other scripts as `xn--…` (RFC 3492).

const BASE = 36, LEAST = 1, MOST = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST = 128;

export function hostToAscii(host) {
  const labels = host.normalize('NFKC').toLowerCase().split(/[.\u3002\uff0e\uff61]/);
  return labels.map((label) => (/^[\x00-\x7f]*$/.test(label) ? label : `xn--${encoded(label)}`)).join('.');
}

function encoded(label) {
  const points = [...label].map((character) => character.codePointAt(0));
  const plain = points.filter((point) => point < FIRST);
  let output = plain.map((point) => String.fromCharCode(point)).join('');
  let handled = plain.length;
  if (handled) output += '-';
  let next = FIRST, delta = 0, bias = FIRST_BIAS;
  while (handled < points.length) {
    const least = Math.min(...points.filter((point) => point >= next));
    delta += (least - next) * (handled + 1);
    next = least;
    for (const point of points) {
      if (point < next) delta++;
      if (point !== next) continue;
      let rest = delta;
      for (let place = BASE; ; place += BASE) {
        const threshold = place <= bias ? LEAST : place >= bias + MOST ? MOST : place - bias;
        if (rest < threshold) break;
        output += digit(threshold + ((rest - threshold) % (BASE - threshold)));
        rest = Math.floor((rest - threshold) / (BASE - threshold));
      }
      output += digit(rest);
      bias = adapted(delta, handled + 1, handled === plain.length);
      delta = 0;
      handled++;
    }
    delta++;
    next++;
  }
  return output;
}

const digit = (value) => String.fromCharCode(value + (value < 26 ? 97 : 22));

function adapted(delta, count, isFirst) {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let steps = 0;
  for (; rest > ((BASE - LEAST) * MOST) >> 1; steps += BASE) rest = Math.floor(rest / (BASE - LEAST));
  return steps + Math.floor(((BASE - LEAST + 1) * rest) / (rest + SKEW));
}
