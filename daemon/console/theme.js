// Light and dark: the system's until one chooses, and again once the choice agrees with the system's.

const SYSTEM = matchMedia("(prefers-color-scheme: dark)");

const shown = () => document.documentElement.dataset.theme ?? (SYSTEM.matches ? "dark" : "light");

export function offerTheme(button) {
  const label = () => {
    const other = shown() === "dark" ? "light" : "dark";
    button.textContent = shown() === "dark" ? "☀" : "☾";
    button.setAttribute("aria-label", `Use the ${other} theme`);
    button.title = `Use the ${other} theme`;
  };
  button.addEventListener("click", () => {
    const other = shown() === "dark" ? "light" : "dark";
    if ((other === "dark") === SYSTEM.matches) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = other;
    keep(document.documentElement.dataset.theme);
    label();
  });
  SYSTEM.addEventListener("change", label);
  label();
}

function keep(theme) {
  try {
    if (theme) localStorage.setItem("theme", theme);
    else localStorage.removeItem("theme");
  } catch {
    // Then it lasts as long as the page.
  }
}
