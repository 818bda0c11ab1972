export default {
  docs: [
    "intro",
    {
      type: "category",
      label: "Guides",
      items: ["guides/quickstart", "guides/deploy"],
    },
  ],
};
