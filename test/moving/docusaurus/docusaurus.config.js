export default {
  title: "Lantern",
  url: "https://lantern.example",
  baseUrl: "/",
  favicon: "img/lantern.svg",
  presets: [["classic", { docs: { sidebarPath: "./sidebars.js" }, blog: false }]],
};
