document.documentElement.dataset.order = (document.documentElement.dataset.order ?? "") + "a";
