// The page of metrics in Prometheus' text format, as far as it is shown.

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a page: name, labels and value. */
export function samples(text) {
  return text
    .split("\n")
    .map((line) => SAMPLE.exec(line))
    .filter(Boolean)
    .map(([, name, labels = "", value]) => ({
      name,
      labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, key, told]) => [key, told])),
      value: Number(value),
    }));
}

/** The sum of a name's samples that bear these labels. */
export function sum(found, name, labels = {}) {
  const bears = (one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value);
  return found.filter((one) => one.name === name && bears(one)).reduce((total, one) => total + one.value, 0);
}
