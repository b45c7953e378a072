"""The parts of mbsd that run models in this process. Use them through the module mbsd."""
